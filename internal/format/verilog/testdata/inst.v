`timescale 10ps / 1ps
module inst(a, y);
  input [3:0] a; output [3:0] y;
  parameter N = 2;
  INV u1 (.A(a[0]), .Y(y[0]));
  INV u2 ( .A ( a [ 1 ] ) , .Y( y[1] ) ), u3 (a[2], y[2]), \u4[0] (.A(\esc[3] ), .Y(\aa.bb
[1]));
  DFF \r/x$[3] (.D(n1), .Q(), .QN( ), .CK(clk),);
  BUS b1 (.D(a[3:0]), .E({a[1:0], 2'b0x, n2}), .F({2{1'b1}}), .G({N{a[0]}}), .H({{2{a[1]}}, 1'b0}), .I(a[0+:2]), .J(a[3-:N]));
  MUX m1 (a[0], , a[1],, y[3]);
  EMPTY e1 ();
  RAM #(.W(8), .T({1'b1, 2'd3})) ram (.Q(q)), ram2 (.Q(q2));
  RAM #5 ram3 (.Q(q3));
  inv u[3:0] (y, a), v[N:1] (.A(a[1:0]));
  FA fa (.co, .s(\s ));
  (* src = "top.v:12", keep *) INV s1 (.A(a[0]), .Y(n5));
  (* keep, dont_touch = 1 *) INV s2 (.A((* odd = "x *)" *) a[0]), .Y(n6));
  INV s3 (* src = "inside" *) (.A(a[0]), .Y(n7));
  (* src="two.v:1" *) (* full_case *)
  INV s4 (.A(n1), .Y(n2)), s5 (.A(n2), .Y(n3));
  defparam ram.W = 9, ram2.T = 3;
  INV \input (.A(\module ), .Y(cell)); // keywords as names
  UDP (q1, d1), (q2, d2);
  UDP (strong0, strong1) #2 named (q1, d1);
  ;
endmodule
module prims(a, b, y);
  input a, b; output y;
  and (y, a, b);
  nand n1 (y, a, b), n2 (x, a, b, c, d);
  or #3 o1 (y, a, b);
  nor #(1, 2) o2 (y, a, b);
  xor #(1:2:3, 4:5:6, 7:8:9) x1 (y, a, b);
  xnor (strong0, weak1) #2.5e-1 x2 (y, a, b), (y2, a, b);
  buf b1 (y, y1, a), b2[1:0] (bus, a);
  not (pull0, supply1) (y, a);
  bufif0 (y, a, b); bufif1 t1 (y, a, b); notif0 #1 t2 (y, a, b); notif1 #(2,3,4) t3 (y, a, b);
  pullup p1 (y); pulldown (pull0) (y); pullup (y);
  tran (a, b); nmos m (y, a, b); rtranif1 (a, b, c);
endmodule
module gen(a, y); input a; output y;
  generate INV g1 (.A(a), .Y(y)); endgenerate
endmodule
