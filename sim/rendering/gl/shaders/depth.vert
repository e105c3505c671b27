#version 330
#include "place.glsl"
void main() { place(); }
