package org.apache.pig.org.roaringbitmap;

/**
 * A class that Pig 0.18.0 refers to and its published jar lacks. Only bloom joins use it; without
 * one of this name no job can be submitted.
 */
public class RoaringBitmap {}
