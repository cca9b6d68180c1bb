package org.mprof.agent.patch;

/**
 * What a patched class implements when a row of the table adds a field to it: state of a hook per
 * instance, without a map from instances to state.
 */
public interface HasState {
  /** The value of the added field, null at first. */
  Object mprof$state();

  /** Sets the added field. */
  void mprof$state(Object state);
}
