// Smooth value noise in 0..1 without textures: the same on every driver.
float hash(vec3 p) {
    p = fract(p * 0.3183 + 0.1) * 17.0;
    return fract(p.x * p.y * p.z * (p.x + p.y + p.z));
}
// The eight corners share the sums of their sides: a third of the work of eight hashes.
float noise(vec3 x) {
    vec3 i = floor(x), f = x - i;
    f = f * f * (3.0 - 2.0 * f);
    vec3 p = fract(i * 0.3183 + 0.1) * 17.0, q = fract(i * 0.3183 + 0.4183) * 17.0;
    vec4 xs = vec4(p.x, q.x, p.x, q.x), ys = vec4(p.y, p.y, q.y, q.y), product = xs * ys, sum = xs + ys;
    vec4 plane = mix(fract(product * p.z * (sum + p.z)), fract(product * q.z * (sum + q.z)), f.z);
    vec2 line = mix(plane.xy, plane.zw, f.y);
    return mix(line.x, line.y, f.x);
}
