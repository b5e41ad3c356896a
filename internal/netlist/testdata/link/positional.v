// Ordered ports: library cells by the groups of the Liberty cell, modules by header; empty positions; port expressions.
module sub(.in({a, b}), .out(y), c);
  input a, b, c; output y;
  NAND2 u (a, b, y);
endmodule
module top(input [3:0] ad, input ce, we, output [3:0] q, output y);
  MEM m (ce, ad, q, we);
  DFF d (ce, we, , n);
  sub s (ad[1:0], y, 1'b0);
  sub s2 ();
endmodule
