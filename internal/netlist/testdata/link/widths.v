// Too wide is cut, too narrow is extended, outputs stay open.
module sub(input [3:0] i, output [3:0] o);
  MEM m (.CE(1'b1), .A(i), .Q(o), .WE(1'b0));
endmodule
module top(input [5:0] a, output [1:0] y, output [5:0] z);
  sub s1 (.i(a), .o(y));
  sub s2 (.i(a[1:0]), .o(z));
  BUF b (.A(a[1:0]), .Y(n));
  wire [2:0] q;
  assign q = a;
endmodule
