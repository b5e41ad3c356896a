module rtl(input clk, input [3:0] d, output reg [3:0] q);
  reg [7:0] mem [0:255];
  reg x = 1'b0;
  integer i;
  always @(posedge clk or negedge d[0])
    if (!d[0]) begin : blk q <= 0; for (i = 0; i < 4; i = i + 1) q[i] <= d[i]; end
    else if (d[1]) q <= #1 d; else case (d) 4'b0: q <= 1; default: begin q <= 2; end endcase
  always @* q = d;
  always @(*) begin fork #1 x = 1; join_any disable fork; wait fork; end
  initial begin $display("a;b) endmodule %d", q); forever #5 x = ~x; end
  initial x = 1;
  function [3:0] f; input [3:0] a; begin f = a + 1; end endfunction
  task t; input a; begin #1 x = a; end endtask
  generate genvar g; for (g = 0; g < 4; g = g + 1) begin : gen INV u (.A(d[g]), .Y(q[g])); end endgenerate
  if (1) INV k (.A(a), .Y(b)); else begin INV k2 (.A(a), .Y(b)); end
  case (1) 1: INV z (.A(a)); endcase
  do_not d0 (.A(x));
  initial do x = 1; while (x == 0);
  always_ff @(posedge clk) begin q <= d; end : label
  assert property (@(posedge clk) d |-> q);
  $error("module level");
  assign q = d + 1;
  INV last (.A(d[0]), .Y(q[0]));
endmodule : rtl
module arith(input [3:0] a, b, output [3:0] y);
  assign y = a << b, y = f(a, b), y = top.x.y, y = a[b], y = {b{a}}, y = "s", y = $signed(a), y = a > b, y = -a, y = m[1][2];
endmodule
module cellmodel(A, B, Y); input A, B; output Y; reg notifier;
  and g1 (Y, A, B);
  specify
    specparam tp = 1:2:3; if (B == 1'b1) (A => Y) = (tp, 0.0); (posedge A *> (Y +: B)) = 1;
    $setuphold(posedge A, negedge B, 0, 0, notifier,,, dA, dB);
  endspecify
endmodule
primitive udp_dff (q, d, ck); output q; reg q; input d, ck;
  table
  // d ck : q : q+
     0 (01) : ? : 0 ; 1 r : ? : 1 ; ? (?0) : ? : - ; * ? : ? : - ;
  endtable
endprimitive
config cfg; design top; endconfig
package pk; parameter X = 1; endpackage
module after(input a, output y); udp_dff u (y, a, a); endmodule
