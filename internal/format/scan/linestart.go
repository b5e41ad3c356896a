package scan

// LineStart tells how far back the line of the last token of the given width begins, when nothing but white space stands before the
// token on its line and that is still in the buffer.
func (s *Scanner) LineStart(width int) (back int, ok bool) {
	i := s.pos - width - 1
	for i >= 0 && s.buf[i] != '\n' && Space[s.buf[i]] {
		i--
	}
	if i < 0 {
		return s.pos, s.base == 0 && i >= -1
	}
	return s.pos - i - 1, s.buf[i] == '\n'
}
