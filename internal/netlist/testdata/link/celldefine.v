// `celldefine left on: with no other candidate, a module that is no library cell is the top
`celldefine
module top(input a, output y);
  buf b (y, a);
endmodule
`endcelldefine
