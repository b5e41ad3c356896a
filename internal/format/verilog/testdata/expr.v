module expr(input a, b, c, d, input [7:0] v, output [7:0] y);
  parameter P = 5, Q = 8'hA5; localparam R = -1;
  assign y = a;
  assign {y[0], y[3:1]} = {v[2:0], 1'b1}, y[4] = 1'b0;
  assign #2 y = ~a;
  assign (strong0, strong1) #(1, 2:3:4) y[1] = !a;
  assign y = a ? b : c ? d : a;
  assign y = a | b ^ c & d;
  assign y = a & b | c & d;
  assign y = a ^ b ~^ c ^~ d;
  assign y = ~a & ~b;
  assign y = a && b || c && d;
  assign y = a == b & c != d;
  assign y = a === b | c !== d;
  assign y = (a | b) & (c | d);
  assign y = &v | |v ^ ^v; 
  assign y = ~&v & ~|v & ~^v & ^~v;
  assign y = a & &v;
  assign y = {a, {2{b, c}}, {3{1'bz}}, v[7:6]};
  assign y = a == b ? c | d : {8{d}};
  assign y = P; assign y = Q; assign y = R; assign y = {Q[3], P};
endmodule
module consts(output y);
  assign y = 1'b0; assign y = 1'h1; assign y = 4'hA; assign y = 1'bx; assign y = 1'bz; assign y = 'b0; assign y = 32'd5;
  assign y = 5; assign y = 4'b1?z_x; assign y = 8'hx; assign y = 8'hzf; assign y = 9'o1_7x; assign y = 12'hdeadbeef;
  assign y = 4 'd 9; assign y = 16 'h
    ff; assign y = 'hx1; assign y = 6'dx; assign y = 7'Dz; assign y = 80'd1208925819614629174706175;
  assign y = 4'sb0101; assign y = 4'sb1000; assign y = 40'hx; assign y = 1_0; assign y = 'so17; assign y = 3'B101;
  assign y = 99999999999; assign y = 4'b10; assign y = 2'd7;
endmodule
