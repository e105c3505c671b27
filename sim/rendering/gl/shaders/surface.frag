#version 330
#include "turn.glsl"
in vec3 world;
in vec3 normal;
in vec3 local;
flat in vec3 half_size;
flat in vec4 colour;
flat in ivec4 meta;
flat in vec4 orientation;
flat in vec4 lamp;
flat in vec4 daylight;
flat in vec3 bounce;
flat in vec4 grain_a;
flat in vec4 grain_b;
flat in vec4 amount;
flat in vec3 shine;
layout(location = 0) out vec4 o_colour;
layout(location = 1) out uint o_id;
layout(location = 2) out vec4 o_normal;
uniform mat4 shadow_projection;
uniform sampler2DShadow shadow;
uniform vec3 sun;
uniform vec3 eye;
uniform int indoors;
uniform vec3 footing;  // x, y and radius of the robot's base: its soft shadow, so that the map need not follow it
uniform vec3 haze;  // colour of the sky at the horizon
#include "material.glsl"

// A box looks as if its edges were rounded by a centimetre; where that is hardly a pixel wide it stays flat, or it sparkles.
// A side narrower than two pixels is lit as a mean of itself and the face beside it, or it is a row of dots.
vec3 bevelled(vec3 V) {
    float r = min(0.014, 0.35 * min(half_size.x, min(half_size.y, half_size.z)));
    vec3 flat_normal = normalize(normal), face = step(0.5, abs(flat_normal)), f = fwidth(local);
    vec3 e = max(vec3(0.0), abs(local) - (half_size - r)) / r;
    vec3 soft = sign(local) * mix(e * 0.9, vec3(1.0), face) * mix(e, vec3(1.0), abs(flat_normal));
    vec3 rounded = normalize(mix(flat_normal, soft, smoothstep(1.2, 3.0, r / max(f.x, max(f.y, f.z)))));
    vec3 pixels = 2.0 * half_size / max(f, vec3(1e-6)) + 1e6 * face, view = turn(vec4(-orientation.xyz, orientation.w), V);
    float narrow = min(pixels.x, min(pixels.y, pixels.z));
    vec3 along = step(pixels, vec3(narrow)), beside = along * sign(view);
    float mine = dot(half_size, along) * abs(dot(view, face)), its = dot(half_size, face) * abs(dot(view, along));
    vec3 both = (mine * flat_normal + its * beside) / (mine + its + 1e-6);
    return normalize(mix(both, rounded, smoothstep(1.0, 3.0, narrow)));
}

// How much of the sun reaches this point, 0..1, from four taps; beyond the map everything is lit.
float sunlit(vec3 N) {
    vec4 s = shadow_projection * vec4(world + N * 0.025, 1.0);
    vec3 p = s.xyz * 0.5 + 0.5;
    float sum = 0.0, under = smoothstep(1.6, 0.7, distance(world.xy, footing.xy) / footing.z);
    for (int i = 0; i < 4; i++)
        sum += texture(shadow, vec3(p.xy + vec2((i & 1) * 2 - 1, (i >> 1) * 2 - 1) * 0.00055, p.z - 0.0012));
    float free = max(abs(s.x), abs(s.y)) > 0.995 ? 1.0 : sum * 0.25;
    return world.z < 0.05 ? free * (1.0 - 0.8 * under) : free;
}

float highlight(vec3 N, vec3 V, vec3 L, float gloss) {
    return shine.x * gloss * pow(max(dot(N, normalize(V + L)), 0.0), shine.y);
}

vec3 outdoors(vec3 c, vec3 N, vec3 V, vec3 ambient, float sun_share, float gloss) {
    // Upright faces get more of the sky and a little light from the viewer, or the walls of a cut-open house look dull.
    float upright = 1.0 - abs(N.z);
    vec3 light = ambient * (0.80 + 0.26 * upright) + 0.14 * upright * max(dot(N, V), 0.0);
    light += vec3(0.59, 0.56, 0.50) * max(dot(N, sun), 0.0) * sun_share;
    return c * light + highlight(N, V, sun, gloss) * sun_share;
}

vec3 inside(vec3 c, vec3 N, vec3 V, vec3 ambient, float sun_share, float gloss) {
    vec3 L = lamp.xyz - world, W = daylight.xyz - world;
    float far = length(L), reach = length(W);
    L /= far;
    W /= reach;
    // What lies under a thing is darker; walls that merely face away from the sun are not.
    float contact = mix(1.0, mix(0.60, 1.0, sun_share), smoothstep(0.2, 0.8, N.z));
    float lamplight = lamp.w * max(dot(N, L) * 0.85 + 0.15, 0.0) / (1.0 + 0.09 * far * far);
    // The middle of two windows lies within their wall: without the second case it would be a dark spot there.
    float toward = dot(N, W);
    float day = toward > 0.0 ? 0.3 + 0.7 * toward : 0.3 + 0.3 * toward * smoothstep(0.5, 2.0, reach);
    day *= daylight.w / (1.0 + 0.16 * reach * reach);
    vec3 light = ambient * 0.68 + vec3(0.50, 0.47, 0.42) * lamplight + vec3(0.45, 0.50, 0.55) * day;
    return c * light * contact + 0.7 * highlight(N, V, L, gloss) * lamplight;
}

void main() {
    vec3 V = eye - world;
    float away = length(V), gloss;
    V /= away;
    vec3 N = turn(orientation, meta.y == 1 ? normalize(normal) : bevelled(V));
    vec3 c = paint(colour.rgb, away, reflect(-V, N), gloss);
    float sun_share = sunlit(N);
    vec3 from_below = mix(vec3(0.50), bounce, 0.30) * mix(1.0, 1.35, smoothstep(1.2, 2.4, world.z));
    vec3 ambient = mix(from_below, vec3(0.60, 0.62, 0.66), N.z * 0.5 + 0.5);
    bool open_air = indoors == 0 || meta.z == 13;
    vec3 lit = open_air ? outdoors(c, N, V, ambient, sun_share, gloss) : inside(c, N, V, ambient, sun_share, gloss);
    if (indoors == 1 && meta.z == 13) lit = mix(haze, lit, exp(-away * 0.04));
    o_colour = vec4(mix(lit, c, shine.z), colour.a);
    o_id = uint(meta.x);
    o_normal = vec4(N * 0.5 + 0.5, 1.0);
}
