#version 330
// Colour times occlusion (upsampled by depth from four half-size texels), tone, and a grain that hides 8-bit steps.
#include "metres.glsl"
#include "likeness.glsl"
uniform sampler2D image;
uniform sampler2D depth;
uniform sampler2D occlusion;
uniform vec3 sky_low;
uniform vec3 sky_high;
in vec2 uv;
out vec4 o;
float shade(float d) {
    vec2 cell = 1.0 / vec2(textureSize(occlusion, 0));
    float z = metres(d), slack = tolerance(z), sum = 0.0, weight = 0.0;
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) {
        vec2 u = uv + (vec2(i, j) - 0.5) * cell;
        float w = likeness(z, metres(texture(depth, u).r), slack);
        sum += w * texture(occlusion, u).r;
        weight += w;
    }
    return sum / weight;
}
void main() {
    float d = texture(depth, uv).r;
    vec3 c = d < 1.0 ? texture(image, uv).rgb * shade(d) : mix(sky_low, sky_high, clamp(uv.y, 0.0, 1.0));
    c = c / (c * 0.18 + 0.86) * 1.02;
    c = mix(c, 0.8 + 0.2 * (1.0 - exp(-(c - 0.8) / 0.2)), step(0.8, c));  // bright walls keep their shape
    c = pow(clamp(c, 0.0, 1.0), vec3(0.92));
    float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    o = vec4(c + grain / 255.0, 1.0);
}
