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
Ltac divided := first [ring | field; repeat split; apply Rgt_not_eq; assumption].

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

Lemma above_integer : forall z, 0 < IZR z -> 0 <= IZR z - 1.
Proof. intros z H. apply lt_IZR in H. rewrite <- minus_IZR. apply IZR_le. lia. Qed.

Ltac least := intros [z E] H; rewrite E in H; apply above_integer in H; rewrite <- E in H; lra.

(* What holds where a comparison does not. *)
Ltac contrary := let C := fresh in intro C;
  first [apply Rnot_le_lt | apply Rnot_lt_le]; intro; apply C; lra.

(* Powers: what splits b^(2k + L + 3) into (b^k)^2 b^L b^3, and what a power of a product is. *)
Lemma power_sum : forall b e f, Rpower b (e + f) = Rpower b e * Rpower b f.
Proof. intros. apply Rpower_plus. Qed.

Lemma power_many : forall b e n, Rpower b (INR n * e) = Rpower b e ^ n.
Proof.
  intros b e n. rewrite Rmult_comm, <- Rpower_mult. apply Rpower_pow. apply exp_pos.
Qed.

Lemma power_inverse : forall b e, Rpower b (- e) = / Rpower b e.
Proof. intros. apply Rpower_Ropp. Qed.

Lemma power_number : forall b n, 0 < b -> Rpower b (INR n) = b ^ n.
Proof. intros. apply Rpower_pow. assumption. Qed.

Lemma power_positive : forall b e, 0 < Rpower b e.
Proof. intros. apply exp_pos. Qed.

Ltac positive := first [assumption | apply exp_pos | apply Rmult_lt_0_compat; [positive | positive] | apply Rinv_0_lt_compat; positive | lra].
Ltac alike := lazymatch goal with
  | |- Rpower ?b _ = Rpower ?b _ => apply (f_equal (Rpower b)); ring
  | |- _ * _ = _ * _ => apply f_equal2; [alike | alike]
  end.
Ltac powers := repeat (rewrite <- Rpower_mult_distr by positive); rewrite ?Rpower_mult; alike.

(* What `know` gives: of quotients, bit lengths, powers, logarithms and sums. *)
Definition quotient (a b : R) : R := IZR (Int_part (a / b)).

Lemma know_quotient : forall a b, whole a -> whole b -> 0 < b ->
  0 <= a - b * quotient a b /\ 0 <= b * quotient a b + b - 1 - a.
Proof.
  intros a b [i ->] [j ->] H. unfold quotient. destruct (base_Int_part (IZR i / IZR j)) as [L U].
  set (q := Int_part (IZR i / IZR j)) in *.
  assert (E : IZR i / IZR j * IZR j = IZR i) by (field; lra). split.
  - assert (IZR q * IZR j <= IZR i / IZR j * IZR j) by (apply Rmult_le_compat_r; lra). lra.
  - assert (S : (IZR i / IZR j - 1) * IZR j < IZR q * IZR j) by (apply Rmult_lt_compat_r; lra).
    assert (W : 0 < IZR (j * q + j - i)) by (rewrite minus_IZR, plus_IZR, mult_IZR; lra).
    apply above_integer in W. rewrite minus_IZR, plus_IZR, mult_IZR in W. lra.
Qed.

Definition bits (m : Z) : Z := if Z.eqb m 0 then 0%Z else (Z.log2 m + 1)%Z.

Lemma know_bits : forall m, (0 <= m)%Z ->
  (0 <= bits m /\ 0 <= 2 ^ bits m - m - 1 /\ 0 <= m + m + 1 - 2 ^ bits m)%Z.
Proof.
  intros m H. unfold bits. destruct (Z.eqb_spec m 0) as [-> | N].
  - cbn. lia.
  - destruct (Z.log2_spec m) as [L U]; [lia |]. pose proof (Z.log2_nonneg m).
    replace (Z.succ (Z.log2 m)) with (Z.log2 m + 1)%Z in U by lia.
    rewrite Z.pow_add_r in * by lia. change (2 ^ 1)%Z with 2%Z in *. lia.
Qed.

Lemma know_power : forall a n, 1 <= a -> 0 <= a ^ n - 1 /\ 0 <= a ^ n - 1 - INR n * (a - 1).
Proof.
  intros a n H. induction n as [| n [I J]].
  - cbn. lra.
  - rewrite S_INR. cbn [pow]. assert (0 <= (a - 1) * (a ^ n - 1)) by (apply Rmult_le_pos; lra). split; lra.
Qed.

Lemma know_logarithm : forall t, 1 <= t -> 0 <= t - 1 - ln t.
Proof.
  intros t H. assert (E : 1 + ln t <= exp (ln t)) by apply exp_ineq1_le. rewrite exp_ln in E; lra.
Qed.

Lemma know_logarithm_below : forall t, 1 <= t -> 0 <= (t + 1) * ln t - t - t + 2.
Proof.
  intros t H. destruct H as [H | <-]; [| rewrite ln_1; lra].
  set (f := fun x => ln x - 2 * (x - 1) / (x + 1)).
  assert (D : forall x, 1 <= x <= t -> derivable_pt_lim f x (/ x - 4 / (x + 1) ^ 2)).
  { intros x [L U]. unfold f.
    replace (/ x - 4 / (x + 1) ^ 2) with (/ x - (2 * (x + 1) - 1 * (2 * (x - 1))) / Rsqr (x + 1)) by (unfold Rsqr; field; lra).
    apply (derivable_pt_lim_minus ln (fun x => 2 * (x - 1) / (x + 1))); [apply derivable_pt_lim_ln; lra |].
    apply (derivable_pt_lim_div (mult_real_fct 2 (id - fct_cte 1)%F) (id + fct_cte 1)%F); [| | unfold plus_fct, fct_cte, id; lra].
    - assert (M : derivable_pt_lim (mult_real_fct 2 (id - fct_cte 1)%F) x (2 * (1 - 0))).
      { apply derivable_pt_lim_scal, derivable_pt_lim_minus; [apply derivable_pt_lim_id | apply derivable_pt_lim_const]. }
      replace (2 * (1 - 0)) with 2 in M by ring. exact M.
    - assert (M : derivable_pt_lim (id + fct_cte 1)%F x (1 + 0)).
      { apply derivable_pt_lim_plus; [apply derivable_pt_lim_id | apply derivable_pt_lim_const]. }
      replace (1 + 0) with 1 in M by ring. exact M. }
  destruct (MVT_cor2 f (fun x => / x - 4 / (x + 1) ^ 2) 1 t H D) as [c [E [L U]]].
  assert (S : / c - 4 / (c + 1) ^ 2 = (c - 1) ^ 2 * / c * / (c + 1) ^ 2) by (field; lra).
  assert (P : 0 <= / c - 4 / (c + 1) ^ 2).
  { rewrite S. apply Rmult_le_pos; [apply Rmult_le_pos; [apply pow2_ge_0 |] |]; apply Rlt_le, Rinv_0_lt_compat; [lra |].
    apply pow_lt; lra. }
  assert (Q : 0 <= f t - f 1) by (rewrite E; apply Rmult_le_pos; lra).
  unfold f in Q. rewrite ln_1 in Q. replace (0 - 2 * (1 - 1) / (1 + 1)) with 0 in Q by field.
  assert (W : (ln t - 2 * (t - 1) / (t + 1) - 0) * (t + 1) = (t + 1) * ln t - t - t + 2) by (field; lra).
  rewrite <- W. apply Rmult_le_pos; lra.
Qed.

Fixpoint added (f : Z -> R) (low : Z) (n : nat) : R :=
  match n with O => 0 | S m => added f low m + f (low + Z.of_nat m)%Z end.
Definition sum (f : Z -> R) (low high : Z) : R := added f low (Z.to_nat (high - low + 1)).

Lemma know_sum_empty : forall f low high, (high < low)%Z -> sum f low high = 0.
Proof. intros f low high H. unfold sum. replace (Z.to_nat (high - low + 1)) with O by lia. reflexivity. Qed.

Lemma know_sum : forall f low high, (low <= high)%Z -> sum f low high = sum f low (high - 1) + f high.
Proof.
  intros f low high H. unfold sum. replace (Z.to_nat (high - low + 1)) with (S (Z.to_nat (high - 1 - low + 1))) by lia.
  cbn [added]. f_equal. f_equal. lia.
Qed.
