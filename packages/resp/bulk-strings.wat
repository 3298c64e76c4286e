;; Numbers and heads of bulk strings, as RESP has them: a part of the module of the link memory (link/memory.wat).

;; Decimal digits of an unsigned number.
(func $digitCount (param $value i64) (result i32)
  (local $count i32)
  (local.set $count (i32.const 1))
  (block $done
    (loop $next
      (br_if $done (i64.lt_u (local.get $value) (i64.const 10)))
      (local.set $value (i64.div_u (local.get $value) (i64.const 10)))
      (local.set $count (i32.add (local.get $count) (i32.const 1)))
      (br $next)))
  (local.get $count))

;; Writes an unsigned number of so many digits.
(func $digits (param $target i32) (param $value i64) (param $count i32)
  (loop $next
    (local.set $count (i32.sub (local.get $count) (i32.const 1)))
    (i32.store8
      (i32.add (local.get $target) (local.get $count))
      (i32.add (i32.const 0x30) (i32.wrap_i64 (i64.rem_u (local.get $value) (i64.const 10)))))
    (local.set $value (i64.div_u (local.get $value) (i64.const 10)))
    (br_if $next (local.get $count))))

;; Begins a bulk string of so many bytes; answers where they go.
(func $head (param $target i32) (param $length i32) (result i32)
  (local $count i32)
  (i32.store8 (local.get $target) (i32.const 0x24))
  (if (i32.lt_u (local.get $length) (i32.const 10))
    (then
      (i32.store8 offset=1 (local.get $target) (i32.add (i32.const 0x30) (local.get $length)))
      (local.set $count (i32.const 1)))
    (else
      (if (i32.lt_u (local.get $length) (i32.const 100))
        (then
          (i32.store8 offset=1 (local.get $target)
            (i32.add (i32.const 0x30) (i32.div_u (local.get $length) (i32.const 10))))
          (i32.store8 offset=2 (local.get $target)
            (i32.add (i32.const 0x30) (i32.rem_u (local.get $length) (i32.const 10))))
          (local.set $count (i32.const 2)))
        (else
          (local.set $count (call $digitCount (i64.extend_i32_u (local.get $length))))
          (call $digits
            (i32.add (local.get $target) (i32.const 1))
            (i64.extend_i32_u (local.get $length))
            (local.get $count))))))
  (local.set $target (i32.add (local.get $target) (local.get $count)))
  (i32.store16 offset=1 align=1 (local.get $target) (i32.const 0x0a0d))
  (i32.add (local.get $target) (i32.const 3)))
