// What generated code calls of the locus half of the runtime.
export {
  locus_acceptor, locus_new, locus_new_leaf, locus_release, locus_retain, locus_to_frame, locus_to_nobody, locus_to_owner, locus_to_transit, own_end, own_end_field, own_exit, own_exit_draining, own_hand_over, own_keep,
  own_take, own_take_field, owned_height,
} from "./locus"; // prettier-ignore
export { locus_after_run, locus_end, locus_start, locus_start_pooled } from "./lifecycle";
export { locus_bubble, locus_draining, locus_fail, locus_quarantine, locus_restart, locus_restarting } from "./failure";
export { bus_limit, bus_drain, bus_make_room, bus_yield, __sleep } from "./bus";
export { bus_hold, bus_publish, bus_publish_computed, bus_publish_plain, bus_publish_waiting, bus_reaches_another } from "./sending";
export { bus_wait } from "./topic-room";
export { bus_redirect, bus_subscribe } from "./channel";
export { bus_pending } from "./queue";
export { closure_clock, closure_decimal_float, closure_due, closure_holds, closure_holds_decimal } from "./closure";
export { hale_thread, plan_new, plan_pinned, plan_pooled, pool_start, strand_differs, strand_of, strand_post, strand_replica } from "./placed";
export { process_end, signals_watch } from "./process";
export { slot_give, slot_take } from "./slots";
export { text_alone, text_isolate } from "./isolate";
