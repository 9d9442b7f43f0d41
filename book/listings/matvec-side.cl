float sum = 0.0f;
if (row < m)
    for (uint i = item; i < k; i += TEAM)
        sum += a[row * k + i] * v[i];
sums[team][item] = sum;
