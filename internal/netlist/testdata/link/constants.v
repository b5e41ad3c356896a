// Constants on pins, on ports, in the middle of concatenations, x and z, unsized, supplies.
module sub(input [3:0] i, output o);
  NAND2 u (.A(i[0]), .B(i[3]), .Y(o));
endmodule
module top(input a, output y, output z, output [3:0] k, output w);
  supply0 gnd; supply1 vdd;
  sub s1 (.i({a, 2'b01, 1'b1}), .o(y));
  sub s2 (.i('b1), .o(z));
  NAND2 n1 (.A(1'b1), .B(1'bx), .Y());
  NAND2 n2 (.A(gnd), .B(vdd), .Y(w));
  assign k = {2'b10, a, 1'b0};
endmodule
