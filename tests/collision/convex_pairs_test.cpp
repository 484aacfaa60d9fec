#include <gtest/gtest.h>

#include "convex.h"
TEST(Convex, Nothing) {}
