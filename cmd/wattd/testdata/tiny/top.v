// Names of every kind: escaped, colliding, aliases, constants, bits.
module sub (i, o);
  input i;
  output o;
  wire x;
  INV g1 (.A(i), .Y(x));
  INV g2 (.A(x), .Y(o));
endmodule

module top (clk, a, m, y, z);
  input clk, a;
  input [1:0] m;
  output y, z;
  wire q, nq, tie, other;
  wire \u1/x , \m[0] , \odd,name , \say"hi" ;
  DFF r (.CK(clk), .D(nq), .Q(q));
  INV n (.A(q), .Y(nq));
  sub u1 (.i(a), .o(y));
  assign other = y;
  NAND2 g (.A(q), .B(nq), .Y(z));
  NAND2 h (.A(m[0]), .B(m[1]), .Y(\u1/x ));
  NAND2 k (.A(other), .B(\u1/x ), .Y(\m[0] ));
  TIELO t (.Y(tie));
  NAND2 o (.A(tie), .B(1'b1), .Y(\odd,name ));
  INV p (.A(\m[0] ), .Y(\say"hi" ));
endmodule
