#version 330
// Ambient occlusion at half size: a 4x4 pattern of rotations, which the blur's 4x4 taps cancel exactly.
#include "metres.glsl"
uniform sampler2D depth;
uniform sampler2D normals;
uniform vec2 tangent;  // of half the view's width and height
uniform mat4 view;
uniform float held;    // depths below belong to what the robot holds before its eyes; they are not metres
in vec2 uv;
out vec4 o;
const int SAMPLES = 10;
const float RADIUS = 0.30;
vec3 at(vec2 u) {
    float z = metres(texture(depth, u).r);
    return vec3((u * 2.0 - 1.0) * tangent * z, -z);
}
void main() {
    float d = texture(depth, uv).r;
    if (d >= 1.0 || d < held) { o = vec4(1.0); return; }
    vec3 p = at(uv), N = normalize(mat3(view) * (texture(normals, uv).xyz * 2.0 - 1.0));
    ivec2 g = ivec2(gl_FragCoord.xy) & 3;
    int cell = (g.x * 4 + g.y) * 7 & 15;
    float angle = float(cell) * 0.3926991, ring = float((cell * 5 + 3) & 15) / 16.0, sum = 0.0;
    float reach = RADIUS / (-p.z) / tangent.y * 0.5;
    for (int i = 0; i < SAMPLES; i++) {
        float a = angle + float(i) * 2.399963, r = sqrt((float(i) + ring) / float(SAMPLES)) * reach;
        vec3 v = at(uv + vec2(cos(a) * tangent.y / tangent.x, sin(a)) * r) - p;
        float l = length(v);
        sum += max(0.0, dot(N, v) / (l + 0.001) - 0.08) * smoothstep(RADIUS * 1.6, 0.0, l);
    }
    o = vec4(1.0 - clamp(sum / float(SAMPLES) * 1.5, 0.0, 0.72));
}
