// Vectors through two levels, descending, ascending and negative ranges, a feedthrough, an open port.
module leafy(input [1:0] i, output [0:1] o, output thru, inout z);
  BUF u0 (.A(i[0]), .Y(o[0]));
  BUF u1 (.A(i[1]), .Y(o[1]));
  assign thru = i[1];
endmodule
module mid(input [-1:-2] p, output [3:2] q);
  wire unused;
  leafy l (.i(p), .o(q), .thru(), .z());
endmodule
module top(input [1:0] a, output [1:0] y, output t);
  mid m (a, y);
  leafy d (.i({a[0], a[1]}), .thru(t));
endmodule
