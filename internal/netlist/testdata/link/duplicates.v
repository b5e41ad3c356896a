// The last module of a name counts; the test bench is no candidate for the top.
module sub(input a, output y); BUF u (.A(a), .Y(y)); endmodule
module sub(input a, output y); INV u (.A(a), .Y(y)); endmodule
module top(input a, output y); sub s (.a(a), .y(y)); endmodule
module tb; reg a; wire y; initial a = 0; top dut (.a(a), .y(y)); endmodule
