// Every message that names a mistake.
`default_nettype none
module sub(input a, output y); BUF u (.A(a), .Y(y)); endmodule
module top(input wire a, input wire [3:0] v, output wire y, output wire z);
  BUF b1 (.A(a), .Q(y));
  BUF b2 (.A(nowhere), .Y(z));
  BUF b2 (.A(a), .Y(z), .A(a));
  BUF b3 (a, z, a);
  sub s1 (.a(a), .b(z));
  sub s2 (a, z, a);
  sub s3 (.a(v[4]), .y(a & y));
  BUF b4 (.A(y[0]), .Y(v[6]));
  BUF b5 (.A(v[0:3]), .Y(1'b0));
  tran t1 (a, y);
  and g (y);
  assign z = q;
  BUF b6 (.A(~a), .Y(y));
  BUF (.A(a), .Y(z));
endmodule
