// One instance's vertex in the world and on the screen. Both vertex programs share it, and gl_Position is invariant:
// the shading pass then finds exactly the depths that the prepass wrote.
#include "turn.glsl"
invariant gl_Position;
in vec3 in_p;
in vec3 i_pos;
in vec3 i_half;
in vec4 i_turn;
uniform mat4 view_projection;
uniform float depth_share;  // 1, or the small front part of the depth range kept for what the robot holds before its eyes
vec3 place() {
    vec3 at = turn(i_turn, in_p * i_half) + i_pos;
    gl_Position = view_projection * vec4(at, 1.0);
    gl_Position.z = (gl_Position.z + gl_Position.w) * depth_share - gl_Position.w;
    return at;
}
