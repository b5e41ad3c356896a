// Black boxes: unknown, behavioural, stub; a library cell wins over its model; a structural module wins over the library.
module ram(input [1:0] addr, input clk, output reg [1:0] q, inout VDD);
  always @(posedge clk) q <= addr;
endmodule
module stubbed(input i, output o); endmodule
`celldefine
module INV(output Y, input A); not (Y, A); endmodule
`endcelldefine
module BUF(input A, output Y);
  NAND2 g (.A(A), .B(A), .Y(Y));
endmodule
module top(input [1:0] a, input c, output [1:0] y, output z, output v, output w);
  ram r (.addr(a), .clk(c), .q(y), .VDD(VDD));
  stubbed st (.i(c), .o(z));
  mystery m1 (.p(a), .q(v), .VSS(1'b0));
  mystery m2 (.p({c, c}), .r(z));
  INV i (.A(c), .Y(w));
  BUF b (.A(c), .Y());
  ordered o (c, , v);
  nothing n ();
endmodule
