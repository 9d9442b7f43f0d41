asm volatile("red.global.add.f32 [%0], %1;"
             :: "l"((ulong)total), "f"(value) : "memory");
