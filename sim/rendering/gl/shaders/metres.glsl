// A depth buffer's value as metres in front of the camera.
uniform vec2 near_far;
float metres(float d) {
    return 2.0 * near_far.x * near_far.y / (near_far.y + near_far.x - (d * 2.0 - 1.0) * (near_far.y - near_far.x));
}
