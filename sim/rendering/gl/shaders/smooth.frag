#version 330
// Softens stair-steps of live frames: blurs along an edge where the brightness of the diagonal neighbours says there is one.
uniform sampler2D image;
in vec2 uv;
out vec4 o;
float brightness(vec2 at) { return dot(textureLod(image, at, 0.0).rgb, vec3(0.30, 0.59, 0.11)); }
void main() {
    vec2 cell = 1.0 / vec2(textureSize(image, 0));
    vec3 c = textureLod(image, uv, 0.0).rgb;
    float m = dot(c, vec3(0.30, 0.59, 0.11));
    float a = brightness(uv + cell * vec2(-1, -1)), b = brightness(uv + cell * vec2(1, -1));
    float d = brightness(uv + cell * vec2(-1, 1)), e = brightness(uv + cell * vec2(1, 1));
    float low = min(m, min(min(a, b), min(d, e))), high = max(m, max(max(a, b), max(d, e)));
    vec2 along = vec2(-((a + b) - (d + e)), (a + d) - (b + e));
    along = clamp(along / (min(abs(along.x), abs(along.y)) + max((a + b + d + e) * 0.03125, 0.0078)), -6.0, 6.0) * cell;
    vec3 near = 0.5 * (textureLod(image, uv - along / 6.0, 0.0).rgb + textureLod(image, uv + along / 6.0, 0.0).rgb);
    vec3 far = 0.5 * near + 0.25 * (textureLod(image, uv - along * 0.5, 0.0).rgb + textureLod(image, uv + along * 0.5, 0.0).rgb);
    float l = dot(far, vec3(0.30, 0.59, 0.11));
    vec3 soft = l < low || l > high ? near : far;
    o = vec4(high - low < max(0.035, high * 0.11) ? c : soft, 1.0);
}
