// Instance arrays of cells, modules and primitives; shared and distributed connections.
module sub(input [1:0] i, input c, output o);
  NAND2 u (.A(i[1]), .B(i[0]), .Y(o));
endmodule
module top(input [3:0] a, input [5:0] b, input c, output [3:0] y, output [2:0] z, output [1:0] w);
  BUF u [3:0] (.A(a), .Y(y));
  sub s [0:2] (.i(b), .c(c), .o(z));
  xor x [1:0] (w, a[1:0], c);
  BUF bad [1:0] (.A(a), .Y(y[1:0]));
endmodule
