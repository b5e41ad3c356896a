// Gate primitives with several outputs, delays, three states, pulls; net types and net delays.
module top(input a, b, e, output y, z, t, u, o, output p);
  wand wa; trior wo; tri1 t1;
  wire #3 d;
  wire #(1,2) d2 = a;
  nand #(2,3) g1 (y, a, b, e);
  not g2 (z, t, a);
  bufif1 g3 (u, a, e), g4 (u, b, b);
  notif0 (o, a, e);
  pullup (p);
  buf (d, a);
  and (wa, a, b);
  buf (wa, e);
  or (wo, a, d2);
  xor (t1, wo, wa);
endmodule
