// A step of Adam for one parameter: x (n), its gradient (n), the running mean
// of its gradients (n) and of their squares (n), dense from their offsets on
// -> the next x, mean and square, each (n). As operations it is fourteen
// launches, each of which reads and writes whole arrays.

kernel void adam_step(global const T *x, uint x_offset,
                      global const T *grad, uint grad_offset,
                      global const T *mean, uint mean_offset,
                      global const T *square, uint square_offset,
                      ACC keep, ACC take, ACC keep_square, ACC take_square,
                      ACC whole, ACC epsilon, ACC rate, ACC stay,
                      global OUT *next, global OUT *next_mean,
                      global OUT *next_square, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ACC g = LOAD(grad, grad_offset + i);
    ACC m = LOAD(mean, mean_offset + i) * keep + g * take;
    ACC s = LOAD(square, square_offset + i) * keep_square + g * g * take_square;
    ACC way = m / (sqrt(s) / whole + epsilon);
    STORE(next, i, LOAD(x, x_offset + i) * stay + way * rate);
    STORE(next_mean, i, m);
    STORE(next_square, i, s);
}
