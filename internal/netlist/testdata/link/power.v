// Power pins: in Liberty, usual names, on modules that have no such port.
module sub(input a, output y);
  BUF u (.A(a), .Y(y), .PWR(VPWR), .VGND(VGND));
endmodule
module top(input a, inout VPWR, VGND, output y, output w);
  sub s (.a(a), .y(y), .VPWR(VPWR), .VGND(VGND));
  FILL f (.VPB(VPWR), .VNB(VGND));
  BUF b (.A(VGND), .Y(w), .VPWR(1'b1));
endmodule
