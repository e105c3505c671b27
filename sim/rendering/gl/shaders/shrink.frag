#version 330
// The mean of each 2x2 block of a picture twice as large.
uniform sampler2D image;
out vec4 o;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy) * 2;
    o = 0.25 * (texelFetch(image, p, 0) + texelFetch(image, p + ivec2(1, 0), 0)
              + texelFetch(image, p + ivec2(0, 1), 0) + texelFetch(image, p + ivec2(1, 1), 0));
}
