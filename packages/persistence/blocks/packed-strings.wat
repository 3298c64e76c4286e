;; Arguments of commands as packed blocks of the log have them: a part of the module of the link memory (link/memory.wat).

;; Writes strings, each behind its length in seven bits a byte. Their spans are pairs of words: where in the body one
;; begins, and its length. Answers where they end; up to 15 bytes behind what is written lose what they held.
(func (export "pack")
  (param $span i32) (param $count i32) (param $body i32) (param $target i32) (result i32)
  (local $length i32) (local $source i32) (local $end i32)
  (block $out
    (loop $next
      (br_if $out (i32.eqz (local.get $count)))
      (local.set $source (i32.add (local.get $body) (i32.load (local.get $span))))
      (local.set $length (i32.load offset=4 (local.get $span)))
      (local.set $end (local.get $length))
      (block $isLast
        (loop $byte
          (br_if $isLast (i32.lt_u (local.get $end) (i32.const 0x80)))
          (i32.store8 (local.get $target) (i32.or (local.get $end) (i32.const 0x80)))
          (local.set $target (i32.add (local.get $target) (i32.const 1)))
          (local.set $end (i32.shr_u (local.get $end) (i32.const 7)))
          (br $byte)))
      (i32.store8 (local.get $target) (local.get $end))
      (local.set $target (i32.add (local.get $target) (i32.const 1)))
      (local.set $end (i32.add (local.get $target) (local.get $length)))
      (if (i32.gt_u (local.get $length) (i32.const 256))
        (then (memory.copy (local.get $target) (local.get $source) (local.get $length)))
        (else
          (block $copied
            (loop $step
              (br_if $copied (i32.ge_u (local.get $target) (local.get $end)))
              (v128.store align=1 (local.get $target) (v128.load align=1 (local.get $source)))
              (local.set $target (i32.add (local.get $target) (i32.const 16)))
              (local.set $source (i32.add (local.get $source) (i32.const 16)))
              (br $step)))))
      (local.set $target (local.get $end))
      (local.set $span (i32.add (local.get $span) (i32.const 8)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next)))
  (local.get $target))
