#version 330
#include "place.glsl"
in vec3 in_n;
in vec4 i_colour;
in ivec4 i_meta;  // number, bend (0 bevelled box, 1 curved, 2 flat box), texture, room
const int ROOMS = 24;
uniform vec4 lamps[ROOMS];      // position and strength
uniform vec4 daylights[ROOMS];  // middle of the room's windows and their strength
uniform vec4 bounces[ROOMS];    // colour of the floor
out vec3 world;
out vec3 normal;
out vec3 local;
flat out vec3 half_size;
flat out vec4 colour;
flat out ivec4 meta;
flat out vec4 orientation;
flat out vec4 lamp;
flat out vec4 daylight;
flat out vec3 bounce;
flat out vec4 grain_a;  // scale of the first noise in three directions; w: 1 in the thing's own frame, 0 in the world's
flat out vec4 grain_b;  // the same of the second
flat out vec4 amount;   // brightness = x + y * first noise + z * second noise; w: 1 fades the first with distance
flat out vec3 shine;    // strength and sharpness of highlights, own light

// Choosing the material here, once a vertex, matters: software renderers run all branches of a fragment program.
void material(int kind) {
    grain_a = vec4(1.0, 1.0, 1.0, 1.0); grain_b = grain_a; amount = vec4(1.0, 0.0, 0.0, 0.0); shine = vec3(0.10, 24.0, 0.0);
    if (kind == 1) {  // wood: stretched along the longest side
        vec3 s = vec3(26.0);
        if (i_half.x >= i_half.y && i_half.x >= i_half.z) s.x = 3.0;
        else if (i_half.y >= i_half.z) s.y = 3.0;
        else s.z = 3.0;
        grain_a.xyz = s; grain_b.xyz = s * 2.7; amount = vec4(0.80, 0.216, 0.144, 0.0); shine = vec3(0.15, 24.0, 0.0);
    }
    else if (kind == 2) { grain_a.xyz = vec3(140.0); grain_b.xyz = vec3(9.0); amount = vec4(0.88, 0.18, 0.08, 1.0); shine.x = 0.02; }
    else if (kind == 3) { grain_a = vec4(vec3(60.0), 0.0); grain_b = vec4(vec3(17.0), 0.0); amount = vec4(0.62, 0.50, 0.24, 0.0); shine = vec3(0.30, 60.0, 0.0); }
    else if (kind == 4) { grain_a.xyz = vec3(120.0); amount = vec4(0.82, 0.30, 0.0, 1.0); shine.x = 0.0; }
    else if (kind == 5) { grain_a = vec4(vec3(6.0), 0.0); amount = vec4(0.99, 0.02, 0.0, 0.0); shine.x = 0.0; }
    else if (kind == 7) shine = vec3(0.0, 24.0, 0.75);
    else if (kind == 8) { grain_a.xyz = vec3(4.0, 4.0, 160.0); amount = vec4(0.97, 0.05, 0.0, 1.0); shine = vec3(0.55, 36.0, 0.0); }
    else if (kind == 9) { amount = vec4(0.86, 0.26, 0.0, 0.0); shine = vec3(0.20, 40.0, 0.0); }
    else if (kind == 10 || kind == 11) shine = vec3(0.35, 70.0, 0.0);
    else if (kind == 12) { grain_a = vec4(vec3(90.0), 0.0); grain_b = vec4(vec3(5.0), 0.0); amount = vec4(0.82, 0.28, 0.06, 1.0); shine.x = 0.0; }
    else if (kind == 13) { grain_a = vec4(vec3(9.0), 0.0); grain_b = vec4(vec3(1.3), 0.0); amount = vec4(0.92, 0.07, 0.09, 1.0); shine.x = 0.0; }
    else if (kind == 14) shine = vec3(0.60, 80.0, 0.0);
}

void main() {
    world = place();
    local = in_p * i_half;
    normal = in_n / i_half;
    half_size = i_half; colour = i_colour; meta = i_meta; orientation = i_turn;
    int room = clamp(i_meta.w, 0, ROOMS - 1);
    lamp = lamps[room]; daylight = daylights[room]; bounce = bounces[room].rgb;
    material(i_meta.z);
}
