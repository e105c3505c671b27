// How alike two depths are, 0..1. The tolerance grows with the slope: a slanted floor is one surface.
float tolerance(float z) { return 0.003 + 2.0 * min(fwidth(z) / z, 0.02); }
float likeness(float z, float other, float slack) { return slack / (slack + abs(other - z) / z); }
