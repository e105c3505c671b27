// The colour of a surface before light: noise, joints between boards and tiles, borders.
#include "noise.glsl"

// 1 on the face, 0 in a joint `width` wide; a joint thinner than a pixel dims instead of sparkling.
float joint(float v, float width) {
    float pixel = max(fwidth(v), 1e-5), blur = max(width, pixel), d = abs(fract(v - 0.5) - 0.5);
    return mix(1.0, smoothstep(0.0, blur, d - width * 0.5), min(1.0, 1.6 * width / blur));
}

float boards(out vec3 grain) {
    vec2 p = vec2(world.x / 1.4, world.y / 0.16);
    float row = floor(p.y);
    p.x += fract(row * 0.37);
    float board = hash(vec3(floor(p.x), row, 3.0));
    grain = vec3(world.x * 3.0 + board * 40.0, world.y * 60.0, board * 9.0);
    return (0.82 + 0.22 * board) * mix(0.62, 1.0, min(joint(p.y, 0.03), joint(p.x, 0.004)));
}

float tiles(float scale, out float face) {
    vec2 p = world.xy * scale;
    face = min(joint(p.x, 0.024), joint(p.y, 0.024));
    return (0.95 + 0.07 * hash(vec3(floor(p), 1.0))) * mix(0.74, 1.0, face);
}

// Out of line with floors and walls, or the noise's lattice shows as squares.
vec3 slanted(vec3 p) { return mat3(0.64, 0.48, -0.60, -0.60, 0.80, 0.0, 0.48, 0.36, 0.80) * p; }

vec3 paint(vec3 c, float away, vec3 reflected, out float gloss) {
    int kind = meta.z;
    float salt = float(meta.x & 255) * 1.7;
    vec3 a = mix(world, local, grain_a.w) * grain_a.xyz + salt * grain_a.w, b = slanted(mix(world, local, grain_b.w) * grain_b.xyz);
    float factor = 1.0, fade = mix(1.0, exp(-away * 0.25), amount.w);
    gloss = 1.0;
    if (kind == 9) factor = boards(a);
    if (kind == 10 || kind == 11) factor = tiles(kind == 10 ? 2.0 : 4.0, gloss);
    if (kind == 4) {
        vec2 rim = half_size.xy - abs(local.xy);
        float m = min(rim.x, rim.y);
        factor = m < 0.12 && m > 0.07 ? 1.3 : 1.0;
    }
    if (kind == 14) factor = 0.75 + 0.35 * smoothstep(-1.0, 1.0, dot(reflected, vec3(0.2, 0.3, 0.9)));
    if (kind == 5 && indoors == 1 && world.z < 0.09 && half_size.z > 0.1) c = vec3(0.95, 0.94, 0.92);
    // A noise that fades keeps its mean, or far carpets would be darker than near ones.
    return c * factor * (amount.x + amount.y * mix(0.5, noise(a), fade) + amount.z * noise(b));
}
