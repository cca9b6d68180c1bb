package org.mprof.agent.patch;

/** Where in a method a hook is called. */
public enum Point {
  /** Before the first instruction; in a constructor after the super call. */
  ENTER,
  /** Before every return. */
  RETURN,
  /** When anything leaves the method by being thrown; it goes on being thrown. */
  THROW,
  /** Before calls of a certain method. */
  BEFORE_CALL,
  /** After calls of a certain method that returned. */
  AFTER_CALL,
  /** Not a hook: adds a field to the class. */
  FIELD,
  /** Not a hook: adds a public getter of a field, and an interface that declares it. */
  GETTER;

  boolean isHook() {
    return this != FIELD && this != GETTER;
  }
}
