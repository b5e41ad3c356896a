// headers and declarations
module ansi #(parameter W = 4, parameter signed [7:0] P = -2, parameter real T = 1.5, localparam L = W * 2 - 1)
  (input wire [W-1:0] a, b, input c, output reg [0:L] q, output signed [-1:-4] s, inout tri \io[0] , output wand y);
endmodule
module nonansi (a, b, .in({c, d[3:1]}), .none(), , \esc[1] , e[2], {f, g}, h);
  input a, b; input [1:0] c; input [7:0] d;
  output [0:3] \esc[1] ;
  output [3:0] e; output f; output g;
  inout h;
  wire [0:3] \esc[1] ;
  reg f;
endmodule
module empty_list (); endmodule
module no_list; endmodule
macromodule mac(a); input a; endmodule
module kinds;
  wire w0, w1, w2; tri t; wand x; triand ta; wor o; trior to; tri0 z; tri1 u; supply0 gnd, vss; supply1 vdd; reg r;
  wire vectored [3:0] v; wire scalared signed [3:0] sv; trireg (small) [1:0] tr;
  wire [3:0] \a.b , \c[2] ;
  wire (strong1, pull0) [1:0] init = 2'b10, init2 = v[1:0];
  wire #3 d1, d2; wire #(1:2:3, 4) d3; wire [1:0] #1.5 d4 = v[3:2];
  wire
    \broken.by.newline
    [3:0]
    ;
  parameter A = 3; localparam B = A + 1, C = (A == 3) ? 8'hff : 0;
  parameter [3:0] D = 9; parameter integer E = 2**4; parameter string S = "text";
  wire [B:A-5] p; wire [C-1:$clog2(17)] q; wire [A<<2:(A&1)|E%3] r2; wire [D:-E/5] r3; wire [!A:~0] r4;
  integer i; real rr; genvar g; event ev; time tm;
endmodule
