package org.mprof.agent;

/**
 * Where lines about bad settings and plans go. An interface with classes and no lambdas: the first
 * lambda of a JVM costs more than the rest of the agent's own code at start-up.
 */
interface Complaints {
  /** To stderr, as the agent does. */
  Complaints ON_STDERR =
      new Complaints() {
        @Override
        public void accept(String line) {
          Faults.say(line);
        }
      };

  /** Nowhere. */
  Complaints IGNORED =
      new Complaints() {
        @Override
        public void accept(String line) {}
      };

  void accept(String line);
}
