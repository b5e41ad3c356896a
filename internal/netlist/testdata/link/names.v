// Escaped names that look like bits, paths or instances; collisions of printed names.
module sub(input i, output o);
  wire n;
  BUF \g[0].u (.A(i), .Y(n));
  INV u2 (.A(n), .Y(o));
endmodule
module top(input a, output [1:0] y, output z);
  wire \y[1] ;
  wire \s/n ;
  wire \plain[3] ;
  sub s (.i(a), .o(y[1]));
  sub \t/u (.i(y[1]), .o(\s/n ));
  BUF b0 (.A(\s/n ), .Y(\y[1] ));
  BUF b1 (.A(\y[1] ), .Y(\plain[3] ));
  BUF b2 (.A(\plain[3] ), .Y(y[0]));
  BUF b3 (.A(\q[7] ), .Y(z));
  BUF b4 (.A(a), .Y(\q[7] ));
endmodule
