(* What the exported lemmas stand on. *)
From Coq Require Export Reals ZArith Lra Lia.
Open Scope R_scope.

Lemma kge : forall z, Z.leb 0 z = true -> 0 <= IZR z.
Proof. intros z H. apply IZR_le, Z.leb_le, H. Qed.

Lemma kgt : forall z, Z.ltb 0 z = true -> 0 < IZR z.
Proof. intros z H. apply IZR_lt, Z.ltb_lt, H. Qed.

(* A sum of products of what is at least 0, or above it, by its form. *)
Ltac ge := first [assumption | apply Rlt_le; assumption | lazymatch goal with
  | |- 0 <= IZR _ => apply kge; reflexivity
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; [ge | ge]
  | |- 0 <= _ * _ => apply Rmult_le_pos; [ge | ge]
  | |- 0 <= _ ^ _ => apply pow_le; ge
  | |- 0 <= / _ => apply Rlt_le, Rinv_0_lt_compat; gt
  end]
with gt := first [assumption | lazymatch goal with
  | |- 0 < IZR _ => apply kgt; reflexivity
  | |- 0 < _ + _ => apply Rplus_lt_le_0_compat; [gt | ge]
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; [gt | gt]
  | |- 0 < _ ^ _ => apply pow_lt; gt
  | |- 0 < / _ => apply Rinv_0_lt_compat; gt
  end].
Ltac manifest := lazymatch goal with |- 0 <= _ => ge | |- 0 < _ => gt end.

Lemma same_le : forall x y, x = y -> 0 <= y -> 0 <= x.
Proof. intros x y -> H. exact H. Qed.

Lemma same_lt : forall x y, x = y -> 0 < y -> 0 < x.
Proof. intros x y -> H. exact H. Qed.

Ltac same E := first [apply (same_le _ _ E) | apply (same_lt _ _ E)].

Lemma le_more : forall k r, 0 <= k -> 0 <= r -> 0 <= k + r.
Proof. intros. lra. Qed.

Lemma lt_more : forall k r, 0 <= k -> 0 < r -> 0 < k + r.
Proof. intros. lra. Qed.

Lemma lt_strict : forall k r, 0 < k -> 0 <= r -> 0 < k + r.
Proof. intros. lra. Qed.

Ltac more H := lazymatch goal with
  | |- 0 <= _ => apply le_more; [first [exact H | exact (Rlt_le _ _ H)] | ge]
  | |- 0 < _ => apply lt_more; [first [exact H | exact (Rlt_le _ _ H)] | gt]
  end.
Ltac strict H := apply lt_strict; [exact H | ge].

Lemma not_lt : forall a b, (b < a -> False) -> a <= b.
Proof. intros a b H. apply Rnot_lt_le. exact H. Qed.

Lemma not_le : forall a b, (b <= a -> False) -> a < b.
Proof. intros a b H. apply Rnot_le_lt. exact H. Qed.

Lemma none : forall s, s = 0 -> 0 < s -> False.
Proof. intros s E H. rewrite E in H. exact (Rlt_irrefl 0 H). Qed.

Ltac above := intro; lra.
Ltac divided := field; repeat split; apply Rgt_not_eq; assumption.

(* Integers among the real numbers. *)
Definition whole (x : R) := exists z, x = IZR z.

Lemma whole_number : forall z, whole (IZR z).
Proof. intro z. exists z. reflexivity. Qed.

Lemma whole_add : forall x y, whole x -> whole y -> whole (x + y).
Proof. intros x y [a ->] [b ->]. exists (a + b)%Z. rewrite plus_IZR. reflexivity. Qed.

Lemma whole_mul : forall x y, whole x -> whole y -> whole (x * y).
Proof. intros x y [a ->] [b ->]. exists (a * b)%Z. rewrite mult_IZR. reflexivity. Qed.

Lemma whole_pow : forall x n, whole x -> whole (x ^ n).
Proof. intros x n [a ->]. exists (a ^ Z.of_nat n)%Z. rewrite pow_IZR. reflexivity. Qed.

Ltac closed := first [assumption | lazymatch goal with
  | |- whole (IZR _) => apply whole_number
  | |- whole (_ + _) => apply whole_add; [closed | closed]
  | |- whole (_ * _) => apply whole_mul; [closed | closed]
  | |- whole (_ ^ _) => apply whole_pow; closed
  end].
