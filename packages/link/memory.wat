;; What is done in the link memory by WebAssembly; link/memory-module.ts is made of this by `npm run generate`, which puts
;; behind it, into the same module, what other packages do there: resp/bulk-strings.wat, store/listpack/listpack-bulks.wat
;; and persistence/blocks/packed-strings.wat.
;;
;; Loads and stores of shared memory are as any others here, at any alignment. JavaScript has neither: it moves
;; shared memory by words where all is aligned, and else by bytes.
(module
  (import "env" "memory" (memory 0 65536 shared))

  ;; Moves bytes; ranges may overlap.
  (func (export "copy") (param $target i32) (param $source i32) (param $length i32)
    (memory.copy (local.get $target) (local.get $source) (local.get $length))))
