float sum = 0.0f;
for (uint i = 0; i < TILE; i++)
    sum += a_tile[y][i] * b_tile[i][x];
float given = sum - excess, next = total + given;
excess = isinf(next) ? 0.0f : next - total - given;
total = next;
