module plain(input a); endmodule
`pragma protect begin
`pragma protect version = 1
`pragma protect begin_protected
`pragma protect encoding = (enctype = "base64")
`pragma protect data_block
q83vEjRWeJCrze8SNFZ4kKvN7w== `module
`pragma protect end_protected
module between(input a); endmodule
`protected
q83vEjRWeJCrze8SNFZ4kKvN7w
`endprotected
module after(input a); endmodule
