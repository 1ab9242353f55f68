;; The exact int8 scan. scan(vector, end, query, score, dimensions): for each vector of `dimensions`
;; int8 from `vector` to `end`, the dot product with the query (`dimensions` int16 at `query`) as one
;; int32 at `score`. `dimensions` is a multiple of 16. kernel.ts holds the bytes that wabt makes of it.
(module
  (import "m" "memory" (memory 1))
  (func (export "scan")
    (param $vector i32) (param $end i32) (param $query i32) (param $score i32) (param $dimensions i32)
    (local $next i32) (local $q i32) (local $a v128) (local $b v128)
    (block $done
      (loop $vectors
        (br_if $done (i32.ge_u (local.get $vector) (local.get $end)))
        (local.set $next (i32.add (local.get $vector) (local.get $dimensions)))
        (local.set $q (local.get $query))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (loop $blocks
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s
            (v128.load8x8_s (local.get $vector)) (v128.load (local.get $q)))))
          (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s
            (v128.load8x8_s offset=8 (local.get $vector)) (v128.load offset=16 (local.get $q)))))
          (local.set $q (i32.add (local.get $q) (i32.const 32)))
          (local.set $vector (i32.add (local.get $vector) (i32.const 16)))
          (br_if $blocks (i32.lt_u (local.get $vector) (local.get $next))))
        (local.set $a (i32x4.add (local.get $a) (local.get $b)))
        (i32.store (local.get $score)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a)))
            (i32.add (i32x4.extract_lane 2 (local.get $a)) (i32x4.extract_lane 3 (local.get $a)))))
        (local.set $score (i32.add (local.get $score) (i32.const 4)))
        (br $vectors)))))
