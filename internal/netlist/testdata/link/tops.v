module one(input a, output y); BUF u (.A(a), .Y(y)); endmodule
module two(input a, output y); BUF u (.A(a), .Y(y)); endmodule
