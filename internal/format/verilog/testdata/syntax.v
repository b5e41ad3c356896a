module one(input a, output y);
  INV u1 (.A(a), .Y(y);
  INV u2 (.A(a) .Y(y));
  INV 54y (.A(a), .Y(y));
  wire [3:q] r;
  wire [3 r2;
  INV ok1 (.A(a), .Y(y));
  assign 1'b0 = a;
  assign y = a +;
  assign y = ;
  assign {a, ~y} = 1;
  assign y = 4'b2;
  assign y = 0'b1;
  assign y = 4'q1;
  INV (.A(a)) u5;
  INV u6 (.*);
  and (y, a
endmodule
module two(input a, output y); INV u1 (.A(a), .Y(
endmodule
module three(a, b, c); input a; output [3:0] b; wire b; input z; wire a; wire a; output a;
  input c; wire [1:0] q; wire [0:1] q;
endmodule
module four(input a);
  wire [99999999:0] w; assign w = {99999999{a}}; assign w = {0{a}};
  INV u7 (.A(a)) INV u8 (.A(a));
  end
  else
  `NOT_A_MACRO
  `endif
  `else
  `timescale 2ns/1ps
  `default_nettype wor
  `unconnected_drive pull1
  `include nothing
  `include "x.vh"
module five(inout [3:0] d);
endmodule
stray text;
module six(a); input a; output o; endmodule
module seven(a, b); input a; endmodule
€ module eight; endmodule
module nine;
