// Overridden parameters are an error where they could matter, and ignored where they cannot.
module shaped #(parameter W = 2) (input [W-1:0] i, output o);
  NAND2 u (.A(i[0]), .B(i[1]), .Y(o));
endmodule
module plain(input i, output o);
  BUF #(.STRENGTH(2)) u (.A(i), .Y(o));
endmodule
module top(input [1:0] a, output x, y, z);
  shaped s1 (.i(a), .o(x));
  shaped #(.W(4)) s2 (.i(a), .o(y));
  plain #(7) p (.i(a[0]), .o(z));
endmodule
