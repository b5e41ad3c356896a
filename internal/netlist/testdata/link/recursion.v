module a(input i); b x (.i(i)); endmodule
module b(input i); a x (.i(i)); endmodule
module top(input i); a x (.i(i)); endmodule
