// Joins, delays, operators, widths of operands, several assigns of one net.
`timescale 10ns/1ns
module top(input a, b, s, input [2:0] v, w, output y0, y1, y2, y3, y4, y5, y6, y7, y8, output [3:0] q, output [2:0] m);
  wire n;
  assign n = a;
  assign y0 = n;
  assign #2 y1 = n;
  assign #(1.5, 2:3:4) y2 = ~(a & b);
  assign y3 = s ? a : b;
  assign y4 = &v;
  assign y5 = v == w;
  assign y6 = v != 3'd5 && !s;
  assign y7 = |w || ^v;
  assign y8 = a;
  assign y8 = b;
  assign q = ~v;
  assign {m[0], m[1], m[2]} = v ^ w;
endmodule
