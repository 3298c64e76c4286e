;; Entries of listpacks as bulk strings, by means of resp/bulk-strings.wat: a part of the module of the link memory (link/memory.wat).

;; Writes entries of a listpack, from `source` on, as bulk strings of RESP.
;;
;; Ends after `count` of them, before one that is not whole at `end`, before one that `limit` leaves no room
;; for, and before the listpack's end. Answers how many are left; at `state` it leaves where the next one begins,
;; and where what comes next is to be written. Up to 15 bytes behind what is written lose what they held, none
;; behind `limit`; as many are read behind `end`.
(func (export "bulks")
  (param $state i32) (param $source i32) (param $end i32)
  (param $target i32) (param $limit i32) (param $count i32) (result i32)
  (local $first i32) (local $head i32) (local $length i32) (local $bytes i32) (local $stop i32)
  (local $value i64) (local $isNegative i32)
  (block $out
    (loop $next
      (br_if $out (i32.eqz (local.get $count)))
      (br_if $out (i32.ge_u (local.get $source) (local.get $end)))
      (local.set $first (i32.load8_u (local.get $source)))
      (block $isInteger
        (block $isText
          ;; 10xxxxxx: a text of up to 63 bytes.
          (if (i32.eq (i32.and (local.get $first) (i32.const 0xc0)) (i32.const 0x80))
            (then
              (local.set $length (i32.and (local.get $first) (i32.const 0x3f)))
              (local.set $head (i32.const 1))
              (br $isText)))
          ;; 1110xxxx: a text of up to 4095 bytes.
          (if (i32.eq (i32.and (local.get $first) (i32.const 0xf0)) (i32.const 0xe0))
            (then
              (local.set $length
                (i32.or
                  (i32.shl (i32.and (local.get $first) (i32.const 0x0f)) (i32.const 8))
                  (i32.load8_u offset=1 (local.get $source))))
              (local.set $head (i32.const 2))
              (br $isText)))
          ;; 11110000: a text of any length.
          (if (i32.eq (local.get $first) (i32.const 0xf0))
            (then
              (local.set $length (i32.load offset=1 align=1 (local.get $source)))
              (local.set $head (i32.const 5))
              (br $isText)))
          ;; 0xxxxxxx: an integer of 7 bits, without a sign.
          (if (i32.lt_u (local.get $first) (i32.const 0x80))
            (then
              (local.set $value (i64.extend_i32_u (local.get $first)))
              (local.set $bytes (i32.const 1))
              (br $isInteger)))
          ;; 110xxxxx: of 13 bits.
          (if (i32.eq (i32.and (local.get $first) (i32.const 0xe0)) (i32.const 0xc0))
            (then
              (local.set $value
                (i64.extend_i32_s
                  (i32.shr_s
                    (i32.shl
                      (i32.or
                        (i32.shl (local.get $first) (i32.const 8))
                        (i32.load8_u offset=1 (local.get $source)))
                      (i32.const 19))
                    (i32.const 19))))
              (local.set $bytes (i32.const 2))
              (br $isInteger)))
          ;; 16, 24, 32 and 64 bits.
          (if (i32.eq (local.get $first) (i32.const 0xf1))
            (then
              (local.set $value (i64.load16_s offset=1 align=1 (local.get $source)))
              (local.set $bytes (i32.const 3))
              (br $isInteger)))
          (if (i32.eq (local.get $first) (i32.const 0xf2))
            (then
              (local.set $value
                (i64.extend_i32_s (i32.shr_s (i32.load align=1 (local.get $source)) (i32.const 8))))
              (local.set $bytes (i32.const 4))
              (br $isInteger)))
          (if (i32.eq (local.get $first) (i32.const 0xf3))
            (then
              (local.set $value (i64.load32_s offset=1 align=1 (local.get $source)))
              (local.set $bytes (i32.const 5))
              (br $isInteger)))
          (br_if $out (i32.ne (local.get $first) (i32.const 0xf4)))
          (local.set $value (i64.load offset=1 align=1 (local.get $source)))
          (local.set $bytes (i32.const 9))
          (br $isInteger))

        ;; A text: its bytes are there, with the length behind them of up to three, and there is room.
        (br_if $out
          (i32.ge_u (local.get $length) (i32.sub (local.get $end) (local.get $source))))
        (local.set $bytes (i32.add (local.get $head) (local.get $length)))
        (local.set $stop
          (i32.add
            (i32.add (local.get $source) (i32.add (local.get $bytes) (i32.const 1)))
            (i32.add
              (i32.gt_u (local.get $bytes) (i32.const 127))
              (i32.ge_u (local.get $bytes) (i32.const 16383)))))
        (br_if $out (i32.gt_u (local.get $stop) (local.get $end)))
        ;; Beside it: up to 8 bytes before, two behind, and what a last step writes too much.
        (br_if $out
          (i32.gt_u
            (i32.add (i32.add (local.get $target) (local.get $length)) (i32.const 32))
            (local.get $limit)))
        (local.set $source (i32.add (local.get $source) (local.get $head)))
        (local.set $target (call $head (local.get $target) (local.get $length)))
        (local.set $bytes (i32.add (local.get $target) (local.get $length)))
        (if (i32.gt_u (local.get $length) (i32.const 256))
          (then (memory.copy (local.get $target) (local.get $source) (local.get $length)))
          (else
            (block $copied
              (loop $step
                (br_if $copied (i32.ge_u (local.get $target) (local.get $bytes)))
                (v128.store align=1 (local.get $target) (v128.load align=1 (local.get $source)))
                (local.set $target (i32.add (local.get $target) (i32.const 16)))
                (local.set $source (i32.add (local.get $source) (i32.const 16)))
                (br $step)))))
        (i32.store16 align=1 (local.get $bytes) (i32.const 0x0a0d))
        (local.set $target (i32.add (local.get $bytes) (i32.const 2)))
        (local.set $source (local.get $stop))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next))

      ;; An integer: a sign and up to 20 digits, and one byte behind it that says its length.
      (local.set $stop (i32.add (local.get $source) (i32.add (local.get $bytes) (i32.const 1))))
      (br_if $out (i32.gt_u (local.get $stop) (local.get $end)))
      (br_if $out (i32.gt_u (i32.add (local.get $target) (i32.const 32)) (local.get $limit)))
      (local.set $isNegative (i64.lt_s (local.get $value) (i64.const 0)))
      (if (local.get $isNegative)
        (then (local.set $value (i64.sub (i64.const 0) (local.get $value)))))
      (local.set $length (call $digitCount (local.get $value)))
      (local.set $target
        (call $head (local.get $target) (i32.add (local.get $length) (local.get $isNegative))))
      (i32.store8 (local.get $target) (i32.const 0x2d))
      (local.set $target (i32.add (local.get $target) (local.get $isNegative)))
      (call $digits (local.get $target) (local.get $value) (local.get $length))
      (local.set $target (i32.add (local.get $target) (local.get $length)))
      (i32.store16 align=1 (local.get $target) (i32.const 0x0a0d))
      (local.set $target (i32.add (local.get $target) (i32.const 2)))
      (local.set $source (local.get $stop))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next)))
  (i32.store (local.get $state) (local.get $source))
  (i32.store offset=4 (local.get $state) (local.get $target))
  (local.get $count))
