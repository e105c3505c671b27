#version 330
// 4x4 taps at half size, weighted by likeness of depth.
#include "metres.glsl"
#include "likeness.glsl"
uniform sampler2D depth;
uniform sampler2D occlusion;
in vec2 uv;
out vec4 o;
void main() {
    vec2 cell = 1.0 / vec2(textureSize(occlusion, 0));
    float z = metres(texture(depth, uv).r), slack = tolerance(z), sum = 0.0, weight = 0.0;
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) {
        vec2 u = uv + (vec2(i, j) - 1.5) * cell;
        float w = likeness(z, metres(texture(depth, u).r), slack);
        w *= w;
        sum += w * texture(occlusion, u).r;
        weight += w + 1e-6;
    }
    o = vec4(sum / weight);
}
