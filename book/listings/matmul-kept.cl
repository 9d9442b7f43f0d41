float sum = 0.0f;
for (uint i = 0; i < TILE; i++)
    sum += a_tile[y][i] * b_tile[i][x];
float corrected = sum - excess, next = total + corrected;
excess = isinf(next) ? 0.0f : next - total - corrected;
total = next;
