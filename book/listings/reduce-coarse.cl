float sum = 0.0f;
for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    sum += a[i];
tree[item] = sum;
