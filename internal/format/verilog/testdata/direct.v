/* block
   comment */ `timescale 1ns/1ps
`define WIDTH 4
`define EMPTY
`define RANGE [`WIDTH-1:0]
`define INVERT(cell, i, o) cell u_``i (.A(i), .Y(o)); // comment
`define LONG(a) INV l1 (.A(a), \
   .Y("a" == a)); /* c */
`define PAREN (a)
`define NOARG() INV na (.A(a), .Y(b));
`ifdef USE_POWER_PINS
module power(input VPWR); endmodule
`else
module nopower(input a, output y);
`ifndef NOT_DEFINED
  wire `RANGE n;
`elsif WIDTH
  wire skipped1;
`else
  wire skipped2;
`endif
`ifdef NOPE
  "unfinished string ' ` \esc`endif  /* `endif */ // `endif
  `ifdef WIDTH `else `endif
  garbage (((
`elsif EMPTY
  `INVERT(INV, a, {y, n[1]})
`elsif WIDTH
  wire skipped3;
`else wire skipped4;
`endif
  BUF `EMPTY b1 `PAREN ;
  `NOARG()
`undef WIDTH
`ifdef WIDTH
  wire skipped5;
`endif
`include "sub.vh"
  INV after_include (.A(a));
endmodule
`endif
`celldefine
`default_nettype none
`timescale 100 ps / 10 ps
module cell(input a); endmodule
`endcelldefine
`default_nettype wire
`line 10 "other.v" 1
`delay_mode_path
`uselib dir=/x
`pragma vendor something
`begin_keywords "1364-2001"
`nounconnected_drive
`unconnected_drive pull0
module plain(input a); INV u(.A(a), .Y(`DEF)); endmodule
`resetall
module reset; endmodule
